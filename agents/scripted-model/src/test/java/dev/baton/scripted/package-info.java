/** Tests of the scripted endpoint. */
@NullMarked
package dev.baton.scripted;

import org.jspecify.annotations.NullMarked;
