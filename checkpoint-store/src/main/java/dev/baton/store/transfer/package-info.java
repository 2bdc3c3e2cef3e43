/** Creates presigned URLs with which runners upload and download objects directly. */
@NullMarked
package dev.baton.store.transfer;

import org.jspecify.annotations.NullMarked;
