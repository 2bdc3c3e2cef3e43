/**
 * The manifest of a checkpoint, a JSON document: {@code manifest.json} of the portable form, and
 * the object from which the store's database can be rebuilt.
 */
@NullMarked
package dev.baton.protocol.manifest;

import org.jspecify.annotations.NullMarked;
