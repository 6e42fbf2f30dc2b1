'use strict';

// Events come twice a second. Rates are the difference between the first and the last of those within a second.
const SECOND = 3;
const MINUTE = 120;
const kept = [];

const element = id => document.getElementById(id);

function set(node, text, kind = '') {
  node.textContent = text;
  node.className = kind;
}

/** One row for each node, made when it is heard of first. */
function row(name) {
  let found = document.querySelector(`tr[data-node="${CSS.escape(name)}"]`);
  if (!found) {
    found = element('nodes').insertRow();
    found.dataset.node = name;
    for (const heading of document.querySelectorAll('thead th')) {
      const cell = found.insertCell();
      cell.dataset.label = heading.textContent;
      cell.append(element('cell').content.cloneNode(true));
    }
  }
  return [...found.cells];
}

/** What a cell says, and in small letters what else there is to say. */
function fill(cell, text, more = '', kind = '') {
  set(cell.querySelector('span'), text, kind);
  cell.querySelector('.more').textContent = more;
}

function fillRate(cell, writes, seconds, bytes) {
  const rate = seconds > 0 ? writes / seconds : 0;
  fill(cell, `${(rate * bytes / 1e6).toFixed(1)} MB/s`, `${rate.toFixed(0)} writes/s`);
  draw(cell.querySelector('polyline'), rate);
}

/** The last minute as a line, between 0 and the highest rate within it. */
function draw(line, rate) {
  const rates = line.rates ??= [];
  rates.push(rate);
  if (rates.length > MINUTE) {
    rates.shift();
  }
  const highest = Math.max(1, ...rates);
  const points = rates.map((each, i) => `${MINUTE - rates.length + i},${19 - 18 * each / highest}`);
  line.setAttribute('points', points.join(' '));
}

function show(now) {
  kept.push(now);
  if (kept.length > SECOND) {
    kept.shift();
  }
  const before = kept[0];
  const seconds = (now.millis - before.millis) / 1000;

  document.title = `Node ${now.name}: ${now.health}`;
  element('name').textContent = now.name;
  element('engine').textContent = now.engine;
  element('address').textContent = now.address;
  set(element('health'), now.health, now.health === 'UP' ? 'good' : 'bad');
  set(element('reason'), now.reason, 'bad');
  element('flight').textContent = now.transfersInFlight;
  element('size').textContent = now.writeBytes;
  element('window').textContent = now.window;
  element('pause').textContent = now.paused ? `Let node ${now.name} write` : `Pause the writes of node ${now.name}`;
  element('pause').disabled = false;
  element('pause').onclick = () => pause(!now.paused);

  const [node, address, state] = row(now.name);
  fill(node, now.name);
  fill(address, now.address);
  fill(state, 'this node', now.paused ? 'writes nothing' : '', 'good');
  now.peers.forEach((peer, i) => showPeer(peer, before.peers[i], seconds, now.writeBytes));
}

function showPeer(peer, before, seconds, bytes) {
  const [node, address, state, to, by, flight] = row(peer.name);
  fill(node, peer.name);
  fill(address, peer.address);
  fill(state, peer.trouble ? 'lost' : 'alive', peer.trouble, peer.trouble ? 'bad' : 'good');
  fillRate(to, peer.writesDone - before.writesDone, seconds, bytes);
  fillRate(by, peer.writesArrived - before.writesArrived, seconds, bytes);
  fill(flight, `${peer.writesInFlight} writes`);
}

async function pause(paused) {
  await fetch('paused', {
    method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(paused)
  });
}

const events = new EventSource('events');
events.onmessage = event => show(JSON.parse(event.data));
events.onopen = () => element('connection').textContent = '';
events.onerror = () => {
  kept.length = 0; // another process may be there next, with counts of its own
  element('connection').textContent = 'No connection to this node: what is shown was true before.';
};
