import { byId } from './elements.js'
import { facts, options, texts } from './texts.js'

// MARK: The texts of the page

for (const node of document.querySelectorAll('[data-text]')) node.textContent = texts[node.dataset.text]
for (const node of document.querySelectorAll('[data-name]')) node.ariaLabel = node.title = texts[node.dataset.name]
byId('query').placeholder = byId('query').ariaLabel = options.placeholder ?? texts.placeholder
byId('map').title = byId('matches').title = ''
byId('rule').textContent = texts[facts.words ? 'ruleWords' : 'rule'] + (facts.typos ? ` ${texts.ruleTypos}` : '')
byId('cost').hidden = !options.costs
document.body.classList.toggle('mapless', !facts.places)
document.body.classList.toggle('pictured', options.image !== undefined)
