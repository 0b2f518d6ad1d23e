// The part of Sources/Hosts/Wasm/static.js that the page uses.
export function ask(path: string, parameters: any, signal: any, parse: any): Promise<{ body: any, headers: any }>
