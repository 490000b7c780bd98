// Chosen before the first paint, so that no page flashes.
"use strict";
{
  const kept = localStorage.getItem("thresher-theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
}
