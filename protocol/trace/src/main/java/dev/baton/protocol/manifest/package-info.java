/**
 * What a checkpoint is made of, as one JSON document: {@code manifest.json} of the portable form,
 * and the object from which the store can be rebuilt.
 */
@NullMarked
package dev.baton.protocol.manifest;

import org.jspecify.annotations.NullMarked;
