import { refusal } from './scene.ts'

const PERIOD = { 'visitors-from': '2026-01-05', 'visitors-to': '2026-01-12' }

/** Where the list stands: what else is asked, what fails, and the summary. */
export const PLACES = [
  [
    'in the visitors report, whatever its period',
    { 'visitors-summary': 'true', ...PERIOD },
    [],
    /^## 📊 About [\d,]+ visitors [\s\S]*\n\n\*\*What readers missed\*\*, 6 Jul – 2 Aug 2026\n\n- search/,
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
