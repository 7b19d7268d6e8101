-- The branding of a status page: its own logo (a PNG or JPEG image), accent colour in light and in dark (#rrggbb), and footer; null: none.
alter table pages add column logo bytea, add column accent_light text, add column accent_dark text, add column footer text;
