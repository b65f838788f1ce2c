// Reads and writes the databases of an origin, in an empty document of it: no script of the
// site has run here, so that what the language has built in is what it should be.
//
// A value is written as structured cloning sees it, in JSON that is flat however deep the
// value is: what is no plain value is an entry of the record's heap, and is referred to by
// its number, so that cycles and shared parts come back as they were.
(() => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

  class TooLarge extends Error {}
  class Unreadable extends Error {}

  // A site that is changing its database may take as long as it likes.
  const openTimeout = 10_000;

  const open = (name) => new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    const late = setTimeout(() => reject(new Unreadable("a database that is being changed")), openTimeout);
    request.onupgradeneeded = () => request.transaction.abort(); // it was deleted meanwhile: make none
    request.onerror = () => { clearTimeout(late); resolve(null); };
    request.onsuccess = () => {
      clearTimeout(late);
      request.result.onversionchange = () => request.result.close(); // the site comes first
      resolve(request.result);
    };
  });

  const base64 = (bytes) => {
    const parts = [];
    for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode.apply(null, bytes.subarray(at, at + 0x8000)));
    return btoa(parts.join(""));
  };
  const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

  // Encoder writes one record. spend is told of what it takes, before it is copied.
  class Encoder {
    constructor(spend, later) {
      Object.assign(this, { spend, later, heap: [], seen: new Map(), todo: [] });
    }

    text(s) {
      this.spend(s.length);
      this.spend(JSON.stringify(s).length - s.length);
      return s;
    }

    slot(v) {
      this.spend(4);
      switch (typeof v) {
        case "string": return this.text(v);
        case "boolean": return v;
        case "undefined": return ["undefined"];
        case "bigint": return ["bigint", this.text(String(v))];
        case "number": return Number.isFinite(v) && !Object.is(v, -0) ? v : ["number", Object.is(v, -0) ? "-0" : String(v)];
      }
      if (v === null) return null;
      let at = this.seen.get(v);
      if (at === undefined) {
        this.spend(16);
        at = this.heap.push(null) - 1;
        this.seen.set(v, at);
        this.todo.push([v, at]);
      }
      return ["ref", at];
    }

    encode(v) {
      const slot = this.slot(v);
      while (this.todo.length > 0) {
        const [object, at] = this.todo.pop();
        this.heap[at] = this.entry(object, at);
      }
      return slot;
    }

    entry(v, at) {
      if (Array.isArray(v)) return this.array(v);
      if (v instanceof Date) return ["date", Number.isNaN(v.getTime()) ? null : v.getTime()];
      if (v instanceof RegExp) return ["regexp", this.text(v.source), v.flags];
      if (v instanceof Map) return ["map", Array.from(v, ([key, value]) => [this.slot(key), this.slot(value)])];
      if (v instanceof Set) return ["set", Array.from(v, (item) => this.slot(item))];
      if (v instanceof ArrayBuffer) return this.buffer(v);
      if (ArrayBuffer.isView(v)) return ["view", v.constructor.name, this.slot(v.buffer), v.byteOffset, v instanceof DataView ? v.byteLength : v.length];
      if (v instanceof File) return this.blob(v, at, ["file", this.text(v.type), "", this.text(v.name), v.lastModified]);
      if (v instanceof Blob) return this.blob(v, at, ["blob", this.text(v.type), ""]);
      if (v instanceof Error) return this.error(v);
      if (v instanceof Number || v instanceof String || v instanceof Boolean || v instanceof BigInt) return ["boxed", this.slot(v.valueOf())];
      if (v instanceof CryptoKey) return this.key(v, at);
      if (Object.getPrototypeOf(v) !== Object.prototype) throw new Unreadable(Object.prototype.toString.call(v).slice(8, -1));
      return ["object", this.members(v, Object.keys(v))];
    }

    members(v, keys) {
      const list = [];
      for (const key of keys) list.push(this.text(key), this.slot(v[key]));
      return list;
    }

    array(v) {
      const keys = Object.keys(v); // the indices first, in their order
      if (keys.length === v.length && (v.length === 0 || keys.at(-1) === String(v.length - 1))) return ["list", v.map((item) => this.slot(item))];
      return ["array", v.length, this.members(v, keys)];
    }

    buffer(v) {
      this.spend(Math.ceil(v.byteLength / 3) * 4);
      const text = base64(new Uint8Array(v));
      return v.resizable ? ["buffer", text, v.maxByteLength] : ["buffer", text];
    }

    error(v) {
      const own = (name) => Object.hasOwn(v, name) ? this.slot(v[name]) : null;
      return ["error", this.text(String(v.name)), this.text(String(v.message)), own("stack"), Object.hasOwn(v, "cause") ? [this.slot(v.cause)] : []];
    }

    blob(v, at, entry) {
      this.spend(Math.ceil(v.size / 3) * 4);
      this.later(async () => { this.heap[at][2] = base64(new Uint8Array(await v.arrayBuffer())); });
      return entry;
    }

    key(v, at) {
      if (!v.extractable) throw new Unreadable("CryptoKey that is not extractable");
      const { name, namedCurve, hash, length } = v.algorithm;
      this.spend(4096);
      this.later(async () => { this.heap[at][1] = await crypto.subtle.exportKey("jwk", v); });
      return ["key", null, JSON.parse(JSON.stringify({ name, namedCurve, hash: hash?.name, length })), v.usages];
    }
  }

  // read returns the databases and what of them is unreadable, or what is too large.
  const read = async (budget) => {
    const databases = [], unread = [], here = { database: "", store: "" };
    const spend = (n) => {
      budget -= n;
      if (budget < 0) throw new TooLarge();
    };
    const miss = (database, store, why) => {
      const what = String(why instanceof Unreadable ? why.message : why?.name ?? why).slice(0, 100);
      const same = unread.find((u) => u.database === database && u.store === store && u.what === what);
      if (same) same.records++;
      else if (unread.length < 100) unread.push({ database: database.slice(0, 200), store: store.slice(0, 200), what, records: 1 });
    };

    const readRecord = (cursor, keyed, records, waiting) => {
      const tasks = [];
      const encoder = new Encoder(spend, (task) => tasks.push(task));
      spend(8);
      const record = [keyed ? encoder.encode(cursor.primaryKey) : null, encoder.encode(cursor.value), encoder.heap];
      records.push(record);
      if (tasks.length > 0) waiting.push({ record, tasks });
    };

    const readStore = (database, store, waiting) => new Promise((resolve, reject) => {
      const records = [], request = store.openCursor();
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        Object.assign(here, { database, store: store.name });
        const cursor = request.result;
        if (!cursor) return resolve(records);
        try {
          readRecord(cursor, store.keyPath === null, records, waiting);
        } catch (e) {
          if (e instanceof TooLarge) return reject(e);
          miss(database, store.name, e);
        }
        cursor.continue();
      };
    });

    const readDatabase = async (db) => {
      const stores = [];
      if (db.objectStoreNames.length === 0) return stores;
      const tx = db.transaction(db.objectStoreNames, "readonly");
      for (const name of db.objectStoreNames) {
        const store = tx.objectStore(name), waiting = [];
        const indexes = Array.from(store.indexNames, (n) => store.index(n)).map(({ name, keyPath, unique, multiEntry }) => ({ name, keyPath, unique, multiEntry }));
        spend(JSON.stringify(indexes).length + JSON.stringify(name).length);
        stores.push({ name, keyPath: store.keyPath, autoIncrement: store.autoIncrement, indexes, waiting, records: readStore(db.name, store, waiting) });
      }
      const all = await Promise.all(stores.map((s) => s.records));
      stores.forEach((s, i) => { s.records = all[i]; });
      for (const s of stores) { // the transaction is over: what is read now does not change any more
        for (const { record, tasks } of s.waiting) {
          try {
            for (const task of tasks) await task();
          } catch (e) {
            s.records.splice(s.records.indexOf(record), 1);
            miss(db.name, s.name, e);
          }
        }
        delete s.waiting;
      }
      return stores;
    };

    try {
      for (const { name, version } of await indexedDB.databases()) {
        Object.assign(here, { database: name, store: "" });
        let db = null;
        try {
          spend(JSON.stringify(name).length + 64);
          db = await open(name);
          if (db) databases.push({ name, version: db.version ?? version, stores: await readDatabase(db) });
        } catch (e) {
          if (e instanceof TooLarge) throw e;
          miss(name, "", e);
        } finally {
          db?.close();
        }
      }
    } catch (e) {
      if (!(e instanceof TooLarge)) throw e;
      return JSON.stringify({ tooLarge: { database: here.database.slice(0, 200), store: here.store.slice(0, 200) } });
    }
    return JSON.stringify({ databases, unread });
  };

  const views = { DataView, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array };
  if (globalThis.Float16Array) views.Float16Array = Float16Array;
  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  // decode makes what Encoder has written: first all that is referred to, then what is in it.
  const decode = async ([key, value, heap]) => {
    const made = [];
    const slot = (s) => {
      if (!Array.isArray(s)) {
        if (s !== null && typeof s === "object") throw new Error("no slot");
        return s;
      }
      switch (s[0]) {
        case "undefined": return undefined;
        case "bigint": return BigInt(s[1]);
        case "number": return Number(s[1]);
        case "ref":
          if (!(s[1] in made)) throw new Error("no entry");
          return made[s[1]];
      }
      throw new Error("no slot");
    };
    const set = (object, members) => {
      for (let i = 0; i < members.length; i += 2) {
        Object.defineProperty(object, members[i], { value: slot(members[i + 1]), writable: true, enumerable: true, configurable: true });
      }
    };
    const shells = {
      list: () => [], object: () => ({}), map: () => new Map(), set: () => new Set(),
      array: ([length]) => Object.assign([], { length }),
      date: ([time]) => new Date(time ?? NaN),
      regexp: ([source, flags]) => new RegExp(source, flags),
      buffer: ([text, max]) => {
        const bytes = fromBase64(text);
        if (max === undefined) return bytes.buffer;
        const buffer = new ArrayBuffer(bytes.length, { maxByteLength: max });
        new Uint8Array(buffer).set(bytes);
        return buffer;
      },
      blob: ([type, text]) => new Blob([fromBase64(text)], { type }),
      file: ([type, text, name, lastModified]) => new File([fromBase64(text)], name, { type, lastModified }),
      error: ([name, message]) => new (Object.hasOwn(errors, name) ? errors[name] : Error)(message),
      boxed: ([of]) => Object(slot(of)),
      key: ([jwk, { name, namedCurve, hash, length }, usages]) => crypto.subtle.importKey("jwk", jwk, { name, namedCurve, hash, length }, true, usages),
      view: () => undefined, // when all buffers are there
    };
    const fill = {
      list: (object, [items]) => { for (const item of items) object.push(slot(item)); },
      array: (object, [, members]) => set(object, members),
      object: (object, [members]) => set(object, members),
      map: (object, [pairs]) => { for (const [k, v] of pairs) object.set(slot(k), slot(v)); },
      set: (object, [items]) => { for (const item of items) object.add(slot(item)); },
      error: (object, [, , stack, cause]) => {
        Object.defineProperty(object, "stack", { value: slot(stack) ?? "", writable: true, configurable: true });
        if (cause.length > 0) Object.defineProperty(object, "cause", { value: slot(cause[0]), writable: true, configurable: true });
      },
    };
    for (const [kind, ...parts] of heap) made.push(Object.hasOwn(shells, kind) ? await shells[kind](parts) : slot(["no entry"]));
    heap.forEach(([kind, name, of, offset, length], i) => {
      if (kind !== "view") return;
      const buffer = slot(of);
      if (!Object.hasOwn(views, name) || !(buffer instanceof ArrayBuffer)) throw new Error("no view");
      made[i] = new views[name](buffer, offset, length);
    });
    heap.forEach(([kind, ...parts], i) => {
      if (Object.hasOwn(fill, kind)) fill[kind](made[i], parts);
    });
    return [key === null ? undefined : slot(key), slot(value)];
  };

  const writeDatabase = async ({ name, version, stores }) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => {
      for (const { name, keyPath, autoIncrement, indexes } of stores) {
        const store = request.result.createObjectStore(name, { keyPath, autoIncrement });
        for (const { name, keyPath, unique, multiEntry } of indexes) store.createIndex(name, keyPath, { unique, multiEntry });
      }
    };
    const db = await done(request);
    try {
      for (const { name, records } of stores) {
        if (records.length === 0) continue;
        const decoded = [];
        for (const record of records) decoded.push(await decode(record));
        const tx = db.transaction(name, "readwrite", { durability: "relaxed" });
        const store = tx.objectStore(name);
        for (const [key, value] of decoded) key === undefined ? store.add(value) : store.add(value, key);
        await new Promise((resolve, reject) => {
          tx.oncomplete = resolve;
          tx.onabort = tx.onerror = () => reject(tx.error);
        });
      }
    } finally {
      db.close();
    }
  };

  const write = async (databases) => {
    for (const database of databases) await writeDatabase(database);
  };

  return { read, write };
})()
