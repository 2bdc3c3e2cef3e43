/** How requests fail: one kind of failure each for gRPC and REST. */
@NullMarked
package dev.baton.store.failure;

import org.jspecify.annotations.NullMarked;
