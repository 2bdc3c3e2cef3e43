/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import java.io.IOException;

/** A file must be left out because of its content. */
final class RefusedContentException extends IOException {
  private static final long serialVersionUID = 1L;
}
