#!/usr/bin/env bash
# The visitors of eight weeks, as a step without the action would read them: one curl for each, one jq for each value.
set -euo pipefail

for weeks in 0 1 2 3 4 5 6 7; do
  from=$(date --utc --date "$((7 * weeks + 7)) days ago" +%F)
  to=$(date --utc --date "$((7 * weeks)) days ago" +%F)
  page=$(curl --silent --show-error --fail-with-body --max-time 30 --header "Authorization: Bearer $API_KEY" \
    "$BASE_URL/v1/analytics/$PROJECT_ID/visitors?dateFrom=$from&dateTo=$to&limit=250")
  human=$(jq .totals.human <<<"$page")
  ai=$(jq .totals.ai <<<"$page")
  total=$(jq .totals.total <<<"$page")
  if [[ $weeks == 0 ]]; then
    printf 'human=%s\nai=%s\ntotal=%s\n' "$human" "$ai" "$total" >>"$GITHUB_OUTPUT"
    jq --raw-output '.visitors | sort_by(-.total)[:10][] | "| \(.path) | \(.total) |"' <<<"$page" >>"$GITHUB_STEP_SUMMARY"
  fi
  echo "| $from | $human | $ai | $total |" >>"$GITHUB_STEP_SUMMARY"
done
