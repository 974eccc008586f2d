// Runs heartwheel.js in headless Chromium as `loadgen conform --over json` wants it: this process passes lines to a page and back.
//   node chromium.js heartwheel.js
const {spawn} = require('child_process');
const fs = require('fs'), http = require('http'), os = require('os'), path = require('path');
const env = process.env, profile = fs.mkdtempSync(path.join(os.tmpdir(), 'heartwheel-chromium-'));
const settings = {url: env.HEARTWHEEL_URL, device: env.HEARTWHEEL_DEVICE, intervalMs: Number(env.HEARTWHEEL_INTERVAL_MS || 0)};
const page = `<!doctype html><meta charset="utf-8"><script src="/heartwheel.js"></script><script>
  const settings = ${JSON.stringify(settings)};
  const tell = (what, text) => fetch('/' + what, {method: 'POST', body: text});
  const token = () => { const asked = new XMLHttpRequest(); asked.open('GET', '/token', false); asked.send(); return asked.responseText; };
  const client = new HeartwheelClient(settings.url, settings.device, text => tell('message', text), {...settings, token, log: line => tell('log', line)});
  client.run().then(() => tell('exit', '0'), error => tell('exit', error.code ? '3' : '1'));
  (async () => {
    for (;;) {
      const lines = await (await fetch('/lines')).json();
      for (const line of lines.lines) { await client.room(); try { client.send(line); } catch (error) { tell('log', error.message); } }
      if (lines.end) return client.stop();
    }
  })();
</script>`;

let lines = [], end = false, asker, browser;
function answer() {
  if (!asker || !(lines.length || end)) return;
  asker.end(JSON.stringify({lines, end}));
  asker = undefined;
  lines = [];
}
function finish(status) {
  try { process.kill(-browser.pid, 'SIGKILL'); } catch { /* it has ended, or never began */ }
  setTimeout(() => {
    try {
      fs.rmSync(profile, {recursive: true, force: true, maxRetries: 10, retryDelay: 50});
    } catch (error) {
      process.stderr.write('left behind: ' + error.message + '\n'); // how the client ended counts
    }
    process.exit(status);
  }, 200);
}
const actions = {'/message': text => process.stdout.write(text + '\n'), '/log': text => process.stderr.write(text + '\n'), '/exit': text => finish(Number(text))};
const web = http.createServer((request, response) => {
  if (request.url === '/lines') { asker = response; return answer(); }
  if (request.url === '/token') return response.end(fs.readFileSync(env.HEARTWHEEL_TOKEN_FILE));
  if (request.url === '/heartwheel.js') return response.setHeader('Content-Type', 'text/javascript').end(fs.readFileSync(process.argv[2]));
  if (request.method !== 'POST') return response.setHeader('Content-Type', 'text/html').end(page);
  let text = '';
  request.setEncoding('utf8').on('data', more => { text += more; }).on('end', () => { actions[request.url]?.(text); response.end(); });
});
web.listen(0, '127.0.0.1', () => {
  browser = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync',
    '--user-data-dir=' + profile, '--remote-debugging-port=0', `http://127.0.0.1:${web.address().port}/`], {stdio: 'ignore', detached: true});
});
require('readline').createInterface({input: process.stdin})
  .on('line', line => { lines.push(line); answer(); })
  .on('close', () => { end = true; answer(); });
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => finish(130));
