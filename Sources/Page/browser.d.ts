// The names of the browser that the scripts of the page use: Tests/Page/lint.test.mjs refuses other names.
declare const localStorage: any
declare const document: any, location: any, history: any, navigator: any, performance: any, devicePixelRatio: number
declare const fetch: any, AbortController: any, AbortSignal: any, URL: any, URLSearchParams: any
declare const TextEncoder: any, ResizeObserver: any, WheelEvent: any
declare function atob(text: string): string
declare function addEventListener(type: string, listener: (event: any) => void): void
declare function matchMedia(query: string): any
declare function getComputedStyle(element: any): any
declare function requestAnimationFrame(step: (now: number) => void): number
declare function cancelAnimationFrame(frame: number): void
declare function setTimeout(work: () => void, milliseconds?: number): number
declare function clearTimeout(timer: number): void
