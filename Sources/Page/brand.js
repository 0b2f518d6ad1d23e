import { element } from './elements.js'
import { heading, options } from './texts.js'
import { readable } from './colour.js'
import { webAddress } from './record.js'
import { picture, showPicture } from './picture.js'

// MARK: The title and the colour of the owner

if (options.accent) {
  for (const [name, ground] of [['light', [253, 252, 250]], ['dark', [21, 25, 28]]]) {
    for (const [part, colour] of Object.entries(readable(options.accent, ground))) {
      document.documentElement.style.setProperty(`--${part}-${name}`, `rgb(${colour})`)
    }
  }
  document.body.classList.add('accented')
}

const logo = options.logo && webAddress(options.logo), home = options.home && webAddress(options.home)
const image = logo ? [picture('logo')] : []
if (logo) showPicture(image[0], logo.href)
document.querySelector('h1').replaceChildren(
  ...(home ? [element('a', { href: home.href }, ...image, heading)] : [...image, heading]))
