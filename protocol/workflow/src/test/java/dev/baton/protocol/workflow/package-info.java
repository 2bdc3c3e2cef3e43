/** Tests of the package of the same name. */
@NullMarked
package dev.baton.protocol.workflow;

import org.jspecify.annotations.NullMarked;
