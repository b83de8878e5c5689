#!/usr/bin/env bash
# The visitors of the last seven days and the ten busiest pages, with one curl and one jq for each page of the list.
set -euo pipefail

from=$(date --utc --date '7 days ago' +%F)
to=$(date --utc +%F)
rows=$(mktemp)
page=$(mktemp)
trap 'rm -f "$rows" "$page"' EXIT

offset=0
while :; do
  curl --silent --show-error --fail-with-body --max-time 30 --header "Authorization: Bearer $API_KEY" --output "$page" \
    "$BASE_URL/v1/analytics/$PROJECT_ID/visitors?dateFrom=$from&dateTo=$to&limit=250&offset=$offset"
  jq --raw-output '.visitors[] | [.total, .path] | @tsv' "$page" >>"$rows"
  # Every answer ends with it, so that a second jq for each page is saved.
  grep --quiet '"hasMore":true' "$page" || break
  offset=$((offset + 250))
done

IFS=$'\t' read -r human ai total < <(jq --raw-output '.totals | [.human, .ai, .total] | @tsv' "$page")
printf 'visitors-human=%s\nvisitors-ai=%s\nvisitors-total=%s\n' "$human" "$ai" "$total" >>"$GITHUB_OUTPUT"
{
  echo '| Visitors | Page |'
  echo '| ---: | --- |'
  sort --numeric-sort --reverse "$rows" | sed --quiet '1,10s/\(.*\)\t\(.*\)/| \1 | \2 |/p'
} >>"$GITHUB_STEP_SUMMARY"
