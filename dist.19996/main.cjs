#!/usr/bin/env node
"use strict";var Ne=Object.create;var P=Object.defineProperty;var Ce=Object.getOwnPropertyDescriptor;var Ae=Object.getOwnPropertyNames;var Me=Object.getPrototypeOf,De=Object.prototype.hasOwnProperty;var m=(e,t,n)=>()=>{if(n)throw n[0];try{return e&&(t=e(e=0)),t}catch(r){throw n=[r],r}};var O=(e,t)=>{for(var n in t)P(e,n,{get:t[n],enumerable:!0})},Je=(e,t,n,r)=>{if(t&&typeof t=="object"||typeof t=="function")for(let o of Ae(t))!De.call(e,o)&&o!==n&&P(e,o,{get:()=>t[o],enumerable:!(r=Ce(t,o))||r.enumerable});return e};var w=(e,t,n)=>(n=e!=null?Ne(Me(e)):{},Je(t||!e||!e.__esModule?P(n,"default",{value:e,enumerable:!0}):n,e));var q,H,V,W,z,x=m(()=>{"use strict";q=`deepwork: makes AI coding agents do multi-step work properly

Usage: deepwork <command> [options]

Commands:
  serve    the MCP server that an agent talks to (stdio)
  call     call one of the server's tools from here
  trust    let the checks of a project's jobs run on this machine
  lint     check the jobs of a project, with line and column of every problem

Options:
  -h, --help       this help; after a command, that command's help
  -v, --version    the version

To connect an agent, put this into the project's .mcp.json:
  {"mcpServers": {"deepwork": {"command": "deepwork", "args": ["serve", "--path", "."]}}}
`,H=`deepwork serve: the MCP server, over stdio

Usage: deepwork serve [options]

Options:
  --path DIR               the project (default: the current directory)
  --transport stdio        how clients connect (default: stdio)
  --no-quality-gate        ask for no reviews; rules and checks still hold
  --quality-gate CMD       reviews by this command (payload on stdin, JSON on stdout)
  --external-runner NAME   reviews by the Claude CLI: claude
  --trust                  run the checks of this project's jobs without asking
  --platform NAME          accepted for older configurations, without effect
  -h, --help               this help

Options beat .deepwork/config.yml. The log goes to stderr.
`,V=`deepwork call: call a tool as an agent would

Usage: deepwork call <tool> [--path DIR] [--json '{\u2026}' | --name value \u2026]

Examples:
  deepwork call get_workflows
  deepwork call start_workflow --job_name release --workflow_name write --goal "Announce 1.2"
  deepwork call finished_step --outputs '{"notes": "notes.md"}'
  deepwork call finished_step --outputs notes=notes.md
  deepwork call get_active_workflow --json '{}' | jq .begin_step

Options:
  --path DIR    the project (default: the current directory)
  --json TEXT   all arguments as one JSON object
  -h, --help    this help, with the list of tools

In a terminal the answer is shown for reading; piped, it is JSON.
Exit code 1: the tool said no. 2: the command line was wrong.
`,W=`deepwork lint: check job definitions

Usage: deepwork lint [--path DIR] [job.yml or directory \u2026]

Without arguments every job that the project can start is checked. Each problem is
printed as file:line:column. Exit code 1 if there is any; warnings alone exit 0.

Options:
  --path DIR    the project (default: the current directory)
  -h, --help    this help
`,z=`deepwork trust: let the checks of a project's jobs run here

Usage: deepwork trust [--path DIR] [--yes]

A job can name commands (checks) that deepwork runs to see for itself that a step is
done. They run with your rights, so none runs before you have seen them. This shows
them and asks. When one is changed or added, you are asked again.

Options:
  --path DIR    the project (default: the current directory)
  --yes         agree without being asked
  -h, --help    this help

For automation: deepwork serve --trust, or DEEPWORK_TRUST=1.
`});function y(){if(R!==void 0)return R;let e=C.default.join(__dirname,"engine.cjs"),t=Ue(__dirname),n=new N.default.Script(`(function (exports, require, module, __filename, __dirname) {${(0,j.readFileSync)(e,"utf8")}
})`,{filename:e,cachedData:Ge(t),importModuleDynamically:N.default.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER}),r={exports:{}};return n.runInThisContext()(r.exports,(0,K.createRequire)(e),r,e,__dirname),n.cachedDataRejected!==!1&&qe(n,t),R=r.exports,R}function Ue(e){return C.default.join(e,`engine-${process.version}-${process.arch}.cache`)}function Ge(e){try{return(0,j.readFileSync)(e)}catch{return}}function qe(e,t){setTimeout(()=>{try{let n=`${t}.${process.pid}`;(0,j.writeFileSync)(n,e.createCachedData()),(0,j.renameSync)(n,t)}catch{}},3e3).unref()}var j,K,C,N,R,$=m(()=>{"use strict";j=require("node:fs"),K=require("node:module"),C=w(require("node:path"),1),N=w(require("node:vm"),1)});function te(e,t){let{id:n,method:r,params:o}=t;if(n===void 0||!_(o))return null;if(r==="initialize"){let{protocolVersion:s,capabilities:a,clientInfo:c,_meta:l}=o;return Q(a)&&Z(c)&&l===void 0?X(e.initialize,s):null}if(r==="server/discover"){let s=o._meta;return!_(s)||Object.keys(o).length!==1?null:Q(s[We])&&Z(s[Ve])&&Object.keys(s).length===3?X(e.discover,s[He]):null}return null}function X(e,t){return typeof t!="string"||!Object.hasOwn(e,t)?null:e[t]??null}function Z(e){return _(e)&&typeof e.name=="string"&&typeof e.version=="string"}function Q(e){return _(e)&&Object.values(e).every(_)}function _(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)}var ee,He,Ve,We,A=m(()=>{"use strict";ee={initialize:{},discover:{}},He="io.modelcontextprotocol/protocolVersion",Ve="io.modelcontextprotocol/clientInfo",We="io.modelcontextprotocol/clientCapabilities"});function ne(e,t=10485760){let n=[],r=0,o=!1;function s(){o?e.tooLong():r>0&&e.line(Buffer.concat(n,r).toString("utf8")),n=[],r=0,o=!1}return a=>{let c=0;for(;c<a.length;){let l=a.indexOf(10,c),f=l===-1?a.length:l;if(r+=f-c,r>t?(o=!0,n=[]):f>c&&n.push(a.subarray(c,f)),l===-1)return;s(),c=l+1}}}var re=m(()=>{"use strict"});function oe(e,t,n){let r=[],o,s,a=!0,c=()=>{},l=new Promise(i=>{c=i});function f(i){o===void 0?r.push(i):o(i)}function h(i){if(i.trim()==="")return;let d=ze(i);"error"in d?p({jsonrpc:"2.0",id:null,error:d.error}):(a&&k(d.message),f(d.message)),a=!1,c()}function k(i){let d=te(n,i);d!==null&&(s=i.id,p({result:d,jsonrpc:"2.0",id:i.id}))}function p(i){return new Promise(d=>{t.write(`${JSON.stringify(i)}
`)?d():t.once("drain",d)})}let g=new Promise(i=>{e.once("end",i),e.once("close",i),e.once("error",()=>i()),t.on("error",()=>i())});return e.on("data",ne({line:h,tooLong:()=>{p({jsonrpc:"2.0",id:null,error:E("line is longer than 10 MiB")}),c()}})),{knocked:l,closed:g,handOver(i){o=i;let d=r;r=[];for(let L of d)i(L)},async send(i){if(s!==void 0&&i.id===s&&!("method"in i)){s=void 0;return}await p(i)}}}function ze(e){let t;try{t=JSON.parse(e)}catch(r){return{error:{code:-32700,message:"Parse error",data:{reason:r.message.slice(0,200)}}}}if(Array.isArray(t))return{error:E("batches are not supported")};if(typeof t!="object"||t===null)return{error:E("not a JSON-RPC message")};let n=t;return n.jsonrpc!=="2.0"?{error:E('jsonrpc must be "2.0"')}:n.id!==void 0&&typeof n.id!="string"&&typeof n.id!="number"?{error:E("id must be a string or a number")}:!("method"in n)&&!("result"in n)&&!("error"in n)?{error:E("method is missing")}:"method"in n&&typeof n.method!="string"?{error:E("method must be a string")}:{message:n}}function E(e){return{code:-32600,message:"Invalid Request",data:{reason:e}}}var se=m(()=>{"use strict";A();re()});function v(e,t){try{return(0,ae.parseArgs)(t)}catch(n){throw new u(`${n.message.split(". ")[0]}. Try: deepwork ${e} --help`)}}function b(){return ie.default.join(__dirname,"..","standard_jobs")}var ie,ae,u,S=m(()=>{"use strict";ie=w(require("node:path"),1),ae=require("node:util"),u=class extends Error{name="UsageError"}});var ce={};O(ce,{serve:()=>Ye});async function Ye(e){let{values:t}=v("serve",{args:[...e],options:{path:{type:"string",default:"."},transport:{type:"string",default:"stdio"},"quality-gate":{type:"string"},"no-quality-gate":{type:"boolean"},"external-runner":{type:"string"},platform:{type:"string"},trust:{type:"boolean"},help:{type:"boolean",short:"h"}}});if(t.help)return process.stdout.write(H),0;if(t.transport!=="stdio")throw new u(`--transport ${t.transport} is not supported. Use: stdio`);let n=t["external-runner"];if(n!==void 0&&n!=="claude")throw new u(`--external-runner ${n} is not supported. Use: claude`);let r=M.default.resolve(t.path);if(!(0,T.existsSync)(r))throw new u(`--path ${t.path} does not exist`);let o=oe(process.stdin,process.stdout,Ke());await Promise.race([o.knocked,o.closed,new Promise(c=>setTimeout(c,Be))]);let s=y(),a=s.openWorkspace({projectRoot:r,standardJobsDir:b(),trusted:t.trust??!1,overrides:{enableQualityGate:t["no-quality-gate"]?!1:void 0,agentReviewCommand:t["quality-gate"],externalRunner:n}});await s.serveOverStdio(a,o),process.exit(0)}function Ke(){try{return JSON.parse((0,T.readFileSync)(M.default.join(__dirname,"greetings.json"),"utf8"))}catch{return ee}}var T,M,Be,le=m(()=>{"use strict";T=require("node:fs"),M=w(require("node:path"),1);$();se();A();S();x();Be=25});function me(){return de??=`${Xe()}/${process.pid}/${Ze(process.pid)??"unknown"}`,de}function Xe(){return ue??=[fe.default.hostname(),ge("/proc/sys/kernel/random/boot_id","noboot"),et("/proc/self/ns/pid","nons")].map(e=>e.trim().replace(/[^A-Za-z0-9.-]/g,"")).join(":"),ue}function Ze(e){let t=Qe(e);if(t!==null)return t[19]??null;if(process.platform==="win32"||process.platform==="linux")return null;try{return(0,pe.execFileSync)("ps",["-o","lstart=","-p",String(e)],{encoding:"utf8",timeout:2e3,stdio:["ignore","pipe","ignore"]}).trim().replace(/[^A-Za-z0-9:]/g,"")||null}catch{return null}}function Qe(e){let t=ge(`/proc/${e}/stat`,""),n=t.lastIndexOf(")");return n===-1?null:t.slice(n+2).split(" ")}function ge(e,t){try{return(0,I.readFileSync)(e,"utf8")}catch{return t}}function et(e,t){try{return(0,I.readlinkSync)(e)}catch{return t}}var pe,I,fe,de,ue,he=m(()=>{"use strict";pe=require("node:child_process"),I=require("node:fs"),fe=w(require("node:os"),1)});function ye(e){return`${D(e,0).join(`
`)}
`}function D(e,t){let n="  ".repeat(t);return Array.isArray(e)?e.flatMap(r=>{let[o="",...s]=D(r,t+1);return[`${n}- ${o.trimStart()}`,...s]}):typeof e=="object"&&e!==null?Object.entries(e).filter(([,r])=>!nt(r)).flatMap(([r,o])=>{let s=`${n}${(0,we.styleText)("bold",r)}:`;return tt(o)?[`${s} ${String(o)}`]:[s,...D(o,t+1)]}):String(e).trimEnd().split(`
`).map(r=>n+r)}function tt(e){return typeof e!="object"&&!String(e).includes(`
`)}function nt(e){return e==null?!0:typeof e=="object"&&Object.keys(e).length===0}var we,be=m(()=>{"use strict";we=require("node:util")});var Ee={};O(Ee,{call:()=>ot});async function ot(e){let[t,...n]=e,{findOperation:r,operations:o,openWorkspace:s,callTool:a}=y(),c=o.map(({name:g,description:i})=>`  ${g.padEnd(24)}${ct(i)}`);if(t===void 0||t==="--help"||t==="-h"||n.includes("--help"))return process.stdout.write(`${V}
Tools:
${c.join(`
`)}
`),t===void 0?2:0;let l=r(t);if(l===void 0)throw new u(`unknown tool "${t}". Tools:
${c.join(`
`)}`);let{projectRoot:f,given:h}=st(n),k=s({projectRoot:f,standardJobsDir:b()}),p=await a(l,h,{workspace:k,owner:{identity:rt,process:me()},signal:new AbortController().signal,progress:g=>process.stderr.write(`${g}
`)},{call:()=>{},fault:(g,i)=>process.stderr.write(`${String(i)}
`)});return process.stdout.isTTY&&!p.isError?process.stdout.write(ye(p.structuredContent)):process.stdout.isTTY?process.stderr.write(`${p.content[0]?.text}
`):process.stdout.write(`${JSON.stringify(p.structuredContent)}
`),p.isError?1:0}function st(e){let t=".",n,r={};for(let o=0;o<e.length;o+=2){let s=e[o],[,a,c]=/^--([^=]+)(?:=(.*))?$/s.exec(s)??[];if(a===void 0)throw new u(`expected --name value, found '${s}'`);let l=c??e[o+1];if(c!==void 0&&o--,l===void 0)throw new u(`--${a} needs a value`);a==="path"?t=l:a==="json"?n=je(l):r[a]=at(r[a],it(a,l))}return{projectRoot:ke.default.resolve(t),given:n??r}}function it(e,t){if(e!=="outputs"&&e!=="context")return t;if(/^\s*[[{]/.test(t))return je(t);let[,n,r]=/^([^=]+)=(.*)$/s.exec(t)??[];if(n===void 0)throw new u(`--${e} takes JSON or name=value`);return{[n]:r}}function at(e,t){let n=r=>typeof r=="object"&&r!==null&&!Array.isArray(r);return n(e)&&n(t)?{...e,...t}:t}function je(e){try{return JSON.parse(e)}catch(t){throw new u(`not JSON: ${t.message}`)}}function ct(e){return`${e.split(". ")[0]?.replace(/\.$/,"")}`}var ke,rt,xe=m(()=>{"use strict";ke=w(require("node:path"),1);$();he();S();x();be();rt="terminal"});var Se={};O(Se,{trust:()=>lt});async function lt(e){let{values:t}=v("trust",{args:[...e],options:{path:{type:"string",default:"."},yes:{type:"boolean",short:"y"},help:{type:"boolean",short:"h"}}});if(t.help)return process.stdout.write(z),0;let{openWorkspace:n,checkList:r}=y(),o=J.default.resolve(t.path),s=n({projectRoot:o,standardJobsDir:b()}),a=await r(s);if(a.length===0)return process.stdout.write(`No job of this project has checks; there is nothing to trust.
`),0;process.stdout.write(`These commands would run in ${o}, with your rights:

`);for(let{job:c,step:l,name:f,run:h}of a){let k=`${J.default.relative(o,c)||c}, step ${l}, check ${f}`;process.stdout.write(`  ${(0,_e.styleText)("bold",ve(h))}
    ${ve(k)}
`)}return process.stdout.write(`
`),await s.trust.isTrusted(a)?(process.stdout.write(`They are trusted already.
`),0):!t.yes&&!await dt()?(process.stdout.write(`Nothing was changed.
`),1):(await s.trust.grant(a),process.stdout.write(`Trusted, until one of them changes.
`),0)}async function dt(){if(!process.stdin.isTTY)throw new u("there is nobody to ask here. Use: --yes");let e=(0,$e.createInterface)({input:process.stdin,output:process.stdout});try{return/^y(es)?$/i.test((await e.question("Run them when a step asks for it? [y/N] ")).trim())}finally{e.close()}}function ve(e){return e.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,t=>`\\u${t.charCodeAt(0).toString(16).padStart(4,"0")}`)}var J,$e,_e,Oe=m(()=>{"use strict";J=w(require("node:path"),1),$e=require("node:readline/promises"),_e=require("node:util");$();S();x()});var Re={};O(Re,{lint:()=>ut});async function ut(e){let{values:t,positionals:n}=v("lint",{args:[...e],allowPositionals:!0,options:{path:{type:"string",default:"."},help:{type:"boolean",short:"h"}}});if(t.help)return process.stdout.write(W),0;let{jobFolders:r,lintFolders:o,lintPaths:s}=y(),a=U.default.resolve(t.path),{files:c,problems:l,warnings:f}=n.length>0?await s(n):await o(r(a,process.env,b()));for(let{file:h,...k}of c){let p=U.default.relative(process.cwd(),h)||h;for(let[g,{kept:i,left:d}]of Object.entries(k)){let L=g==="problems"?(0,G.styleText)("red","problem"):(0,G.styleText)("yellow","warning");for(let{line:Ie,column:Le,message:Pe}of i)process.stdout.write(`${p}:${Ie}:${Le}: ${L}: ${Pe}
`);d>0&&process.stdout.write(`${p}: ${d} more ${g}
`)}}return process.stdout.write(`${F(c.length,"job")} checked: ${F(l,"problem")}, ${F(f,"warning")}
`),l>0?1:0}function F(e,t){return`${e} ${t}${e===1?"":"s"}`}var U,G,Te=m(()=>{"use strict";U=w(require("node:path"),1),G=require("node:util");$();S();x()});x();var B={name:"deepwork",version:"0.1.0",description:"Makes AI coding agents do multi-step work properly: step by step, checked, and resumable after a crash.",license:"MIT",type:"module",engines:{node:">=20.19"},bin:{deepwork:"dist/main.cjs"},exports:{".":{types:"./dist/index.d.ts",default:"./dist/index.js"}},files:["dist","standard_jobs","README.md","CHANGELOG.md","LICENSE"],scripts:{build:"node scripts/build.mjs",check:"tsc --noEmit && biome check .",format:"biome check --write .",test:"npm run check && npm run build && vitest run",demo:"npm run --silent build && node examples/quickstart/demo.mjs",bench:"npm run --silent build && node bench/run.mjs"},devDependencies:{"@biomejs/biome":"2.6.6","@modelcontextprotocol/client":"2.4.0","@modelcontextprotocol/server":"2.4.0","@types/node":"20.19.43",ajv:"8.20.0","ajv-formats":"3.0.1",esbuild:"0.28.2","fast-check":"4.10.2",typescript:"7.0.2",vitest:"4.1.12",yaml:"2.9.1",zod:"4.6.7"}};var Y=B.version;async function pt(e){let[t,...n]=e;switch(t){case"serve":return(await Promise.resolve().then(()=>(le(),ce))).serve(n);case"call":return(await Promise.resolve().then(()=>(xe(),Ee))).call(n);case"trust":return(await Promise.resolve().then(()=>(Oe(),Se))).trust(n);case"lint":return(await Promise.resolve().then(()=>(Te(),Re))).lint(n);case"--version":case"-v":case"version":return process.stdout.write(`${Y}
`),0;case void 0:case"--help":case"-h":case"help":return process.stdout.write(q),0;default:return process.stderr.write(`deepwork: unknown command '${t}'. Try: deepwork --help
`),2}}pt(process.argv.slice(2)).then(e=>{process.exitCode=e},e=>{process.stderr.write(`deepwork: ${e instanceof Error?e.message:String(e)}
`),process.exitCode=e instanceof Error&&e.name==="UsageError"?2:1});
