#!/usr/bin/env bash
# What a workflow would hold instead of the action, as such steps are commonly written: one jq for each value.
set -euo pipefail

jobs="$BASE_URL/v2/agent/$PROJECT_ID/job"

ask() {
  curl --silent --show-error --fail-with-body --max-time 30 --header "Authorization: Bearer $API_KEY" "$@"
}

if [[ $GITHUB_EVENT_NAME == push ]]; then
  range="$(jq --raw-output .before "$GITHUB_EVENT_PATH")...$(jq --raw-output .after "$GITHUB_EVENT_PATH")"
  changes=$(curl --silent --show-error --fail-with-body --max-time 10 --header "Authorization: Bearer $GITHUB_TOKEN" \
    "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/compare/$range")
  PROMPT+=$'\n\n'$(jq --raw-output '.files[] | "\(.status) \(.filename)\n\(.patch)"' <<<"$changes")
fi
id=${JOB_ID:-}
if [[ -z $id ]]; then
  job=$(ask --json "$(jq --null-input --arg prompt "$PROMPT" '{$prompt}')" "$jobs")
  id=$(jq --raw-output .id <<<"$job")
else
  job=$(ask "$jobs/$id")
fi
status=$(jq --raw-output .status <<<"$job")
while [[ $status == active ]]; do
  sleep 5
  job=$(ask "$jobs/$id")
  status=$(jq --raw-output .status <<<"$job")
done
link=$(jq --raw-output '.prLink // ""' <<<"$job")

{
  echo "job-id=$id"
  echo "status=$status"
  echo "pr-link=$link"
} >>"$GITHUB_OUTPUT"
echo "### Docs agent: $status $link" >>"$GITHUB_STEP_SUMMARY"
[[ $status == completed ]]
