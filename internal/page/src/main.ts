// The entry of the one script that runs in pages.
export {};
