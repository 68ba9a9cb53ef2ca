// The page's service worker: what it needs lies here after the first visit, recordings follow while nothing else is asked for.
'use strict';
const kCache = 'lockstep-@VERSION@';
const kNeeded = '@NEEDED@';
const kLater = '@LATER@';

self.addEventListener('install', event => {
  event.waitUntil(caches.open(kCache).then(cache => cache.addAll(['./', ...kNeeded])).then(() => self.skipWaiting()));
});

self.addEventListener('activate', event => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith('lockstep-') && name !== kCache) await caches.delete(name);
    await self.clients.claim();
    fetchLater();
  })());
});

async function fetchLater() {
  const cache = await caches.open(kCache);
  for (const file of kLater) if (!await cache.match(file)) await cache.add(file).catch(() => {});
}

self.addEventListener('fetch', event => {
  if (event.request.method !== 'GET' || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(kCache);
    const known = await cache.match(event.request, {ignoreSearch: true});
    if (known) return known;
    const answer = await fetch(event.request);
    if (answer.ok && event.request.url.includes('/recordings/')) cache.put(event.request, answer.clone());
    return answer;
  })());
});
