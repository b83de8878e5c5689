#!/usr/bin/env bash
# The same with as few programs as it can do with: one jq for all values.
set -euo pipefail

jobs="$BASE_URL/v2/agent/$PROJECT_ID/job"

ask() {
  curl --silent --show-error --fail-with-body --max-time 30 --header "Authorization: Bearer $API_KEY" "$@"
}

if [[ $GITHUB_EVENT_NAME == push ]]; then
  range=$(jq --raw-output '.before + "..." + .after' "$GITHUB_EVENT_PATH")
  PROMPT+=$'\n\n'$(curl --silent --show-error --fail-with-body --max-time 10 --header "Authorization: Bearer $GITHUB_TOKEN" \
    "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/compare/$range" |
    jq --raw-output '.files[] | "\(.status) \(.filename)\n\(.patch)"')
fi
if [[ -n ${JOB_ID:-} ]]; then
  job=$(ask "$jobs/$JOB_ID")
else
  job=$(jq --null-input --arg prompt "$PROMPT" '{$prompt}' | ask --json @- "$jobs")
fi
while :; do
  IFS=$'\t' read -r id status link < <(jq --raw-output '[.id, .status, .prLink // ""] | @tsv' <<<"$job")
  [[ $status == active ]] || break
  sleep 5
  job=$(ask "$jobs/$id")
done

printf 'job-id=%s\nstatus=%s\npr-link=%s\n' "$id" "$status" "$link" >>"$GITHUB_OUTPUT"
echo "### Docs agent: $status $link" >>"$GITHUB_STEP_SUMMARY"
[[ $status == completed ]]
