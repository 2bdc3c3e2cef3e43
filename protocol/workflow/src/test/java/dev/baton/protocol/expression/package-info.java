/** Tests of the package of the same name. */
@NullMarked
package dev.baton.protocol.expression;

import org.jspecify.annotations.NullMarked;
