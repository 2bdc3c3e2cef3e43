/**
 * The JSON mapping of all contracts: snake_case names, null values are omitted, readers ignore
 * unknown fields.
 */
@NullMarked
package dev.baton.protocol.json;

import org.jspecify.annotations.NullMarked;
