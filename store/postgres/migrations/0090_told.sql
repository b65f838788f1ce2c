-- Of which state of a payment people were told, '' for none.
ALTER TABLE reprise.payments ADD COLUMN told text NOT NULL DEFAULT '';
