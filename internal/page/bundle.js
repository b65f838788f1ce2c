// Code generated from src by `make generate`. DO NOT EDIT.
"use strict";
(() => {
})();
