/** The period's length as visitors feel it: days weighted by weekday and by how much the site has grown. */
export type SiteTraffic = {
  /** Weighted days of human traffic. */
  humanDays: number
  /** Weighted days of AI traffic: hardly a week-end, faster growth. */
  aiDays: number
  /** Bounds in days since 1970, with fractions. */
  fromDay: number
  toDay: number
}

const DAY_MS = 86_400_000
const YEAR_DAYS = 365.25
const FIRST_DAY = Date.UTC(2024, 0, 1) / DAY_MS
/** Monday first. */
const HUMAN_WEEK = [1.1, 1.16, 1.14, 1.1, 1, 0.55, 0.5]
const AI_WEEK = [1.02, 1.04, 1.04, 1.03, 1, 0.94, 0.93]

/** Adds up the days of a period, whose bounds may lie within a day. */
export function siteTraffic({ fromMs, toMs }: { fromMs: number; toMs: number }): SiteTraffic {
  const fromDay = fromMs / DAY_MS
  const toDay = toMs / DAY_MS
  let humanDays = 0
  let aiDays = 0
  for (let day = Math.floor(fromDay); day < toDay; day += 1) {
    const share = Math.min(day + 1, toDay) - Math.max(day, fromDay)
    const years = (day - FIRST_DAY) / YEAR_DAYS
    humanDays += share * weight(HUMAN_WEEK, day) * growth(years, 0.3, 3)
    aiDays += share * weight(AI_WEEK, day) * growth(years, 0.8, 6)
  }
  return { humanDays, aiDays, fromDay, toDay }
}

/** Day 0 was a Thursday. */
function weight(week: readonly number[], day: number): number {
  return week[(((day + 3) % 7) + 7) % 7] ?? 1
}

function growth(years: number, perYear: number, most: number): number {
  return Math.min(most, 1 + perYear * Math.max(0, years))
}
