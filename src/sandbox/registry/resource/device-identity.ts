/** What identifies an allocated device, or a share of one. */
import { textOf, type Fields } from "../../meta/object.ts";

/** The identity as Go prints it. */
export const identityOf = ({ driver, pool, device, shareID }: Fields): Fields => ({
  Driver: textOf(driver),
  Pool: textOf(pool),
  Device: textOf(device),
  ShareID: textOf(shareID),
});

/** The identity as the key of a map. */
export const identityKeyOf = (device: Fields): string => JSON.stringify(identityOf(device));
