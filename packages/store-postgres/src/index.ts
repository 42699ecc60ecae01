export { openPostgresStore } from "./open-postgres-store.ts";
export { storeAddress } from "./store-address.ts";
