// Loaded before a program that is measured: leaves the most memory it ever had, in bytes.
const { existsSync, readFileSync, writeFileSync } = require('node:fs')

process.once('exit', () => {
  // Linux counts the memory of the process that forked this one into `maxRSS`, but not into VmHWM.
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const kilobytes = /^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  writeFileSync(process.env.PEAK_MEMORY_FILE, String(Number(kilobytes) * 1024))
})
