import { refusal } from './scene.ts'

/** Where the list stands: what else is asked, what fails, and the summary. */
export const PLACES = [
  [
    'in the visitors report, whatever its period',
    { 'visitors-summary': 'true', 'visitors-days': '30' },
    [],
    /^## 📊 About [\d,]+ visitors [\s\S]*\n\n\*\*What readers missed\*\*, 6 Jul to 2 Aug\n\n- search/,
  ],
  [
    'beside the failure of the visitors report',
    { 'visitors-summary': 'true' },
    [refusal(400, { match: { path: 'visitors' } })],
    /^## ❌ No visitors report\n[\s\S]*\n## 🔎 What readers missed\n/,
  ],
  [
    'alone beside an export without a report',
    { 'visitors-export': 'v.csv' },
    [],
    /^## 🔎 What readers missed\n/,
  ],
] as const
