import { fraction } from '../hash.ts'
import type { SiteTraffic } from './site-traffic.ts'

/** Unique visitors. `total` counts those who came as a human and through an AI tool once. */
export type Counts = { human: number; ai: number; total: number }

const BUSIEST_PER_DAY = 900
const FALL_OFF = 0.95
/** The longer the period, the more visits are of people counted before. */
const RETURNING = 0.94
const SALT = { level: 1, ai: 2, swing: 3, phase: 4, pace: 5, human: 6, overlap: 7 } as const

/**
 * Visitors of the page of a rank (0 is about the busiest) in a period. Each page swings around its level with a rhythm
 * of its own, months long, so that some rise while others fall. At least one visitor: a page nobody saw is not listed.
 */
export function pageCounts(seed: number, rank: number, traffic: SiteTraffic): Counts {
  const draw = (salt: number) => fraction(seed, rank, salt)
  const perDay = (BUSIEST_PER_DAY * (0.6 + 0.8 * draw(SALT.level))) / (rank + 1) ** FALL_OFF
  const swung = swing(traffic, {
    size: 0.45 * draw(SALT.swing),
    phase: draw(SALT.phase),
    pace: draw(SALT.pace),
  })
  const aiShare = 0.08 + 0.25 * draw(SALT.ai)
  const humanVisits = perDay * (traffic.humanDays + swung)
  const aiVisits = perDay * aiShare * (traffic.aiDays + swung)
  const ai = Math.floor(aiVisits ** RETURNING + draw(SALT.ai))
  const human = Math.max(ai === 0 ? 1 : 0, Math.floor(humanVisits ** RETURNING + draw(SALT.human)))
  const overlap = Math.round(Math.min(human, ai) * (0.12 + 0.15 * draw(SALT.overlap)))
  return { human, ai, total: human + ai - overlap }
}

/**
 * Days gained or lost to a page's own rhythm: the integral of a sine over the period. Its size stays below the weight
 * of the quietest day, so that a longer period never has fewer visitors.
 */
function swing(
  { fromDay, toDay }: SiteTraffic,
  { size, phase, pace }: { size: number; phase: number; pace: number },
): number {
  const perDay = (2 * Math.PI) / (40 + 120 * pace)
  const start = 2 * Math.PI * phase
  return (size * (Math.cos(fromDay * perDay + start) - Math.cos(toDay * perDay + start))) / perDay
}
