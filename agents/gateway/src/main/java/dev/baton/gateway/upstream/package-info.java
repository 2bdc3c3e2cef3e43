/** Calls of model endpoints, with bounded retries; the only place that has their keys. */
@NullMarked
package dev.baton.gateway.upstream;

import org.jspecify.annotations.NullMarked;
