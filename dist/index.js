'use strict'
if (parseInt(process.versions.node, 10) < 24) {
  console.error('::error title=Node.js 24 or later is needed::This action needs Node.js 24 or later, but was started with Node.js ' + process.versions.node + '.')
  process.exitCode = 1
} else {
  require('./action.js').main()
}
