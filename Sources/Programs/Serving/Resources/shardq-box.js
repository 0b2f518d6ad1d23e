const folder=null
const beside=name=>new URL(name,import.meta.url)
const sheet=new CSSStyleSheet()
sheet.replaceSync(`
:host {display:block;position:relative;}
:host([hidden]) {display:none;}
input {box-sizing:border-box;width:100%;padding:.5em .7em;font:inherit;}
div {position:absolute;z-index:9;inset:100% 0 auto;}
ul,p {max-height:60vh;margin:0;padding:0;overflow:auto;background:Canvas;color:CanvasText;box-shadow:0 2px 9px #0006;}
li,p {padding:.4em .7em;overflow-wrap:anywhere;list-style:none;cursor:default;}
[data-field] {unicode-bidi:isolate;}
[aria-selected=true] {background:#0b57d0;color:#fff;}
mark {background:none;color:inherit;font-weight:700;}
.spoken {position:absolute;clip-path:inset(50%);}`)
function element(name,attributes,...children) {
const made=document.createElement(name)
for (const [key,value] of Object.entries(attributes)) made.setAttribute(key,value)
made.append(...children)
return made
}
const server=address=>async (parameters,signal)=>{
const url=new URL(`${address.href.replace(/\/?$/,'/')}search`)
for (const [name,value] of Object.entries(parameters)) {
for (const text of [value??[]].flat()) url.searchParams.append(name,text)
}
const patience=AbortSignal.any([signal,AbortSignal.timeout(10_000)])
const response=await fetch(url,{signal:patience}).catch(()=>{throw new Error(`${address.host} cannot be reached`)})
const body=await response.json().catch(()=>{})
if (!response.ok||!body?.display) throw new Error(body?.detail??`${address} is no server of shardq`)
return {body}
}
function files(address,first) {
const script=beside('static.js')
script.searchParams.set('index',address)
if (first) script.searchParams.set('first',JSON.stringify(first))
for (const href of [script,beside('shardq.js')]) document.head.append(element('link',{rel:'modulepreload',href}))
return async ({typos,...others},signal)=>{
const {ask}=await import(script)
const answer=await ask('v1/search',{...others,offset:0,typos:typos==='none'?false : typos},signal)
return {...answer,whole:answer.body.isFirst&&ask('opened',{},signal)}
}
}
function source(said) {
const own=beside(folder?.index??'v1/')
const address=said===null?own : new URL(said,document.baseURI)
if (/\/v1\/?$/.test(address.pathname)) return server(address)
return files(address,address.href===own.href&&folder?.first)
}
function fill(place,field,{label,name,match,record}) {
if (field !=='key') {
const value=field.split('.').reduce((value,key)=>value?.[key],record)??''
place.textContent=String(typeof value==='object'?JSON.stringify(value) : value).slice(0,2000)
return
}
const text=name??label,parts=name?[`${label} · `] : []
let at=0
for (const [start,end] of match) {
parts.push(text.slice(at,start),element('mark',{part:'mark'},text.slice(start,end)))
at=end
}
place.replaceChildren(...parts,text.slice(at))
}
customElements.define('shardq-box',class extends HTMLElement {
static observedAttributes=['index','placeholder']
texts={
label:'Search',
matches: (count,isLeast)=>`${count}${isLeast?'+' : ''} ${count===1?'match' : 'matches'}`,
none:text=>`No match for ${text}`,
failed:reason=>`The search failed: ${reason}`,
}
#input=element('input',{
part:'input',role:'combobox',autocomplete:'off',spellcheck:'false',maxlength:'512',
'aria-autocomplete': 'list','aria-controls': 'list',
})
#list=element('ul',{part:'list',id:'list',role:'listbox'})
#said=element('p',{part:'message',role:'status'})
#ask
#rows=[]
#active=-1
#asking=[]
#wanted
constructor() {
super()
const root=this.attachShadow({mode:'open',delegatesFocus:true}),input=this.#input
root.adoptedStyleSheets=[sheet]
root.append(input,element('div',{part:'popup'},this.#list,this.#said))
input.oninput=()=>input.value?this.#type() : this.#close()
input.onkeydown=event=>event.isComposing||!this.#press(event.key,event.altKey)
input.onblur=()=>this.#close()
this.#list.onpointerdown=event=>event.preventDefault()
this.#list.onclick=event=>this.#choose([...this.#list.children].indexOf(event.target.closest('li')))
}
connectedCallback() {
this.#close()
this.#input.placeholder=this.getAttribute('placeholder')??''
this.#input.ariaLabel=this.#list.ariaLabel=this.#input.placeholder||this.texts.label
const index=this.getAttribute('index')
try {this.#ask=source(index)} catch {this.#ask=async ()=>{throw new Error(`${index} is no address`)}}
}
attributeChangedCallback() {if (this.isConnected) this.connectedCallback()}
get value() {return this.#input.value}
set value(text) {this.#input.value=text;this.#close()}
#parameters() {
const said=[...this.attributes].map(({name,value})=>[name,value])
const {limit='8',filter='',sort,typos='min'}=Object.fromEntries(said)
if (!/^[1-9]\d?$/.test(limit)) throw new Error('limit must be a whole number from 1 to 99')
const filters=filter.split('\n').map(line=>line.trim()).filter(Boolean)
return {q:this.value,limit:Math.max(8,limit),filter:filters[0]&&filters,sort,typos,display:true}
}
async #type() {
const abort=new AbortController(),{signal}=abort,asked=this.#asking
this.#wanted=undefined
asked.push(abort)
if (asked.length > 3) asked.splice(1,1)[0].abort()
try {
const parameters=this.#parameters()
for (let answer;!answer||answer.whole;) {
await answer?.whole
answer=await this.#ask(parameters,signal)
signal.throwIfAborted()
for (const old of asked.splice(0,asked.indexOf(abort))) old.abort()
if (!answer.whole) asked.shift()
this.#show(parameters.q,answer)
}
} catch (error) {
if (signal.aborted) return
const isLast=asked.at(-1)===abort
asked.splice(asked.indexOf(abort),1)
if (!isLast) return
this.#rows=[]
this.#draw(this.texts.failed(error.message),true)
this.#tell('shardq-error',error)
}
}
#show(text,{body: {matches,display,total,totalIsExact},whole}) {
const kept=this.#rows[this.#active]?.label,wanted=this.#wanted,isNone=!display[0]
const place=label=>this.#rows.findIndex(row=>row.label===label)
this.#rows=display.slice(0,this.getAttribute('limit')??8).map((row,at)=>({...row,record:matches[at],isWhole: !whole}))
this.#draw(isNone?this.texts.none(text) : this.texts.matches(total,!totalIsExact),isNone)
this.#point(place(kept))
if (wanted) this.#choose(wanted===true?0 : place(wanted))
}
#draw(text,isSeen) {
const template=this.querySelector('template'),list=this.#list
list.replaceChildren(...this.#rows.map((row,at)=>{
const node=element('li',{role:'option',id: `row-${at}`})
node.append(template?template.content.cloneNode(true) : element('span',{part:'label','data-field': 'key'}))
for (const place of node.querySelectorAll('[data-field]')) fill(place,place.dataset.field,row)
return node
}))
list.hidden=!this.#rows[0]
this.#input.ariaExpanded=!list.hidden
this.#said.textContent=text
this.#said.className=isSeen?'' : 'spoken'
this.#point(-1)
}
#close() {
for (const abort of this.#asking.splice(0)) abort.abort()
this.#rows=[]
this.#wanted=undefined
this.#draw('')
}
#point(at) {
this.#active=at
this.#input.setAttribute('aria-activedescendant',this.#list.children[at]?.id??'')
for (const [number,row] of [...this.#list.children].entries()) {
const isActive=number===at
Object.assign(row,{ariaSelected:isActive,part:isActive?'row active' : 'row'})
if (isActive) row.scrollIntoView({block:'nearest'})
}
}
#press(key,isAlt) {
const count=this.#rows.length,step={ArrowDown:1,ArrowUp: -1}[key]
if (key==='Escape') {
if (!count&&this.#said.className) this.value=''
this.#close()
} else if (key==='Enter'&&this.#active < 0&&this.#asking[0]) this.#wanted=true
else if (key==='Enter'&&count) this.#choose(Math.max(0,this.#active))
else if (step&&(isAlt||!count)) step > 0?this.#type() : this.#close()
else if (step) this.#point((this.#active+step+count+2) % (count+1) - 1)
else return false
return true
}
#choose(at) {
const row=this.#rows[at]
if (row?.isWhole) {
this.value=row.label
this.#tell('shardq-choose',row.record)
} else this.#wanted=row?.label
}
#tell(name,detail) {this.dispatchEvent(new CustomEvent(name,{detail,bubbles:true,composed:true}))}
})
