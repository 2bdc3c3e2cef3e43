/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

/** Whether permissions bind this process. */
final class Superuser {
  static final boolean IS = "root".equals(System.getProperty("user.name"));

  private Superuser() {}
}
