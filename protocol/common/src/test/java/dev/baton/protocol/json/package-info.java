/** Tests of the JSON tools. */
@NullMarked
package dev.baton.protocol.json;

import org.jspecify.annotations.NullMarked;
