#!/usr/bin/env bash
# What a workflow would hold instead of the action, with the same requests: one curl for each, one jq for each value.
set -euo pipefail

call() {
  curl --silent --show-error --fail-with-body --max-time 30 --header "Authorization: Bearer $1" "${@:2}"
}
set_status() {
  body=$(jq --null-input --arg state "$1" '{$state, context: "Docs agent"}')
  call "$GITHUB_TOKEN" --json "$body" "$repository/statuses/$GITHUB_SHA" >/dev/null
}

repository="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY"
jobs="$BASE_URL/v2/agent/$PROJECT_ID/job"
if [[ $GITHUB_EVENT_NAME == push ]]; then
  query="{ viewer { login } repository(owner: \"${GITHUB_REPOSITORY%/*}\", name: \"${GITHUB_REPOSITORY#*/}\") {
    object(oid: \"$GITHUB_SHA\") { ... on Commit { history(first: 100) { nodes { oid status { context(name: \"Docs agent\") { state } } } } } } } }"
  history=$(call "$GITHUB_TOKEN" --json "$(jq --null-input --arg query "$query" '{$query}')" "$GITHUB_API_URL/graphql")
  jq --raw-output '.data.repository.object.history.nodes[].oid' <<<"$history" >/dev/null
  range="$(jq --raw-output .before "$GITHUB_EVENT_PATH")...$(jq --raw-output .after "$GITHUB_EVENT_PATH")"
  changes=$(call "$GITHUB_TOKEN" "$repository/compare/$range")
  PROMPT+=$'\n\n'$(jq --raw-output '.files[] | "\(.status) \(.filename)\n\(.patch)"' <<<"$changes")
fi
job=$(call "$API_KEY" --json "$(jq --null-input --arg prompt "$PROMPT" '{$prompt}')" "$jobs")
id=$(jq --raw-output .id <<<"$job")
if [[ $GITHUB_EVENT_NAME == push ]]; then set_status pending; fi
status=$(jq --raw-output .status <<<"$job")
while [[ $status == active ]]; do
  sleep 5
  job=$(call "$API_KEY" "$jobs/$id")
  status=$(jq --raw-output .status <<<"$job")
done
link=$(jq --raw-output '.prLink // ""' <<<"$job")
if [[ $GITHUB_EVENT_NAME == push ]]; then set_status success; fi

{
  echo "job-id=$id"
  echo "status=$status"
  echo "pr-link=$link"
} >>"$GITHUB_OUTPUT"
echo "### Docs agent: $status $link" >>"$GITHUB_STEP_SUMMARY"
