/** What a stack writes down about itself in its data folder, and who may use that folder. */
@NullMarked
package dev.baton.standalone.state;

import org.jspecify.annotations.NullMarked;
