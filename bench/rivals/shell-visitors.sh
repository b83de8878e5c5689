#!/usr/bin/env bash
# What a workflow would hold instead of the action, as such steps are commonly written: one jq for each value.
set -euo pipefail

from=$(date --utc --date '7 days ago' +%F)
to=$(date --utc +%F)
page=$(curl --silent --show-error --fail-with-body --max-time 30 --header "Authorization: Bearer $API_KEY" \
  "$BASE_URL/v1/analytics/$PROJECT_ID/visitors?dateFrom=$from&dateTo=$to&limit=250")
human=$(jq .totals.human <<<"$page")
ai=$(jq .totals.ai <<<"$page")
total=$(jq .totals.total <<<"$page")

{
  echo "visitors-human=$human"
  echo "visitors-ai=$ai"
  echo "visitors-total=$total"
} >>"$GITHUB_OUTPUT"
echo "### $total visitors" >>"$GITHUB_STEP_SUMMARY"
