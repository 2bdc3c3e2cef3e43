/**
 * The one JSON mapping of all contracts: snake_case names, absent instead of null, unknown fields
 * ignored by readers.
 */
@NullMarked
package dev.baton.protocol.json;

import org.jspecify.annotations.NullMarked;
