/** How Java programs are started. */
@NullMarked
package dev.baton.standalone.jvm;

import org.jspecify.annotations.NullMarked;
