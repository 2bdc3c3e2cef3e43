/** Where runners PUT and GET objects: they move the bytes, this package hands out the addresses. */
@NullMarked
package dev.baton.store.transfer;

import org.jspecify.annotations.NullMarked;
