/** What Baton needs of an S3, asked of each implementation. */
@NullMarked
package dev.baton.standalone.testkit;

import org.jspecify.annotations.NullMarked;
