// Runs before any script of a page, in every frame: what opens a socket, a window or a dialog is gone.
(() => {
  const gone = [
    "RTCPeerConnection",
    "webkitRTCPeerConnection",
    "RTCDataChannel",
    "WebSocket",
    "WebSocketStream",
    "WebTransport",
    "SharedWorker",
    "ServiceWorkerContainer",
    "ServiceWorker",
    "PresentationRequest",
  ];
  for (const name of gone) delete globalThis[name];
  const nothing = (owner, name) => {
    if (owner) Object.defineProperty(owner, name, { get: () => undefined, configurable: false });
  };
  nothing(globalThis.Navigator && Navigator.prototype, "serviceWorker");
  for (const name of ["open", "alert", "confirm", "prompt", "print"])
    Object.defineProperty(globalThis, name, {
      value: () => null,
      writable: true,
      configurable: false,
    });
  // A browser without a network says that it is offline, and pages would show that instead of themselves.
  if (globalThis.Navigator)
    Object.defineProperty(Navigator.prototype, "onLine", { get: () => true });
  // What a page hides in a closed shadow root its reader sees all the same.
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (how) {
    return attach.call(this, { ...how, mode: "open" });
  };
})();
