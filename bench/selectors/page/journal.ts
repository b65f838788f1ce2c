// Undoing: what a change did to the document is taken back exactly, so that the
// next one starts from the page as it was.

const ALL: MutationObserverInit = {
  subtree: true, childList: true,
  attributes: true, attributeOldValue: true,
  characterData: true, characterDataOldValue: true,
};

/** Notes every change of the document from its making to stop, and takes them back. */
export class Journal {
  private records: MutationRecord[] = [];
  private readonly besides: (() => void)[] = [];
  private readonly observer = new MutationObserver((records) => this.records.push(...records));

  constructor() {
    this.observer.observe(document, ALL);
  }

  /** Adds what is to be done on undo besides, for what is no part of the tree. */
  also(undo: () => void): void {
    this.besides.push(undo);
  }

  /** Ends the noting: what changes from here on is another's. */
  stop(): void {
    this.records.push(...this.observer.takeRecords());
    this.observer.disconnect();
  }

  undo(): void {
    this.stop();
    for (const record of this.records.reverse()) takeBack(record);
    for (const undo of this.besides.reverse()) undo();
    this.records = [];
    this.besides.length = 0;
  }
}

function takeBack(record: MutationRecord): void {
  switch (record.type) {
    case "attributes": return takeBackAttribute(record);
    case "characterData": (record.target as CharacterData).data = record.oldValue ?? ""; return;
    default:
  }
  for (const node of record.addedNodes) if (node.parentNode === record.target) record.target.removeChild(node);
  for (const node of record.removedNodes) record.target.insertBefore(node, record.nextSibling);
}

function takeBackAttribute(record: MutationRecord): void {
  const el = record.target as Element;
  const name = record.attributeName ?? "";
  if (record.oldValue === null) el.removeAttributeNS(record.attributeNamespace, name);
  else if (record.attributeNamespace) el.setAttributeNS(record.attributeNamespace, name, record.oldValue);
  else el.setAttribute(name, record.oldValue);
}

/** The document as it was, to compare with: attributes in any order. */
export class Pristine {
  private readonly copy: Node;

  constructor() {
    // In a document without a window nothing of the copy is loaded or run.
    this.copy = document.implementation.createHTMLDocument("").importNode(document.documentElement, true);
  }

  isBack(): boolean {
    return this.copy.isEqualNode(document.documentElement);
  }
}
