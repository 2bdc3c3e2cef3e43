/**
 * Signs and verifies the tokens that bind a runner to one run and one epoch.
 *
 * <p>{@link dev.baton.lease.LeaseTokenCodec} owns the format, {@link dev.baton.lease.LeaseVerifier}
 * the verdict for given keys, {@link dev.baton.lease.LeaseAuthenticator} the time at which keys are
 * fetched from a {@link dev.baton.lease.LeaseKeySource}.
 */
@NullMarked
package dev.baton.lease;

import org.jspecify.annotations.NullMarked;
