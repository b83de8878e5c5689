require('./action.js').main()
