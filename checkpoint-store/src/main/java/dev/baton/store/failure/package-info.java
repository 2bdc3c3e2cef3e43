/** Translates each kind of request failure into one gRPC status and one REST status. */
@NullMarked
package dev.baton.store.failure;

import org.jspecify.annotations.NullMarked;
