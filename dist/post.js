require('./action.js').post()
