throw new Error('This module is left out of the bundle: see scripts/build.ts.')
