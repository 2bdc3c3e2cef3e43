/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import picocli.CommandLine.IVersionProvider;

/** Reads the version from the jar's manifest. */
final class BatonVersionProvider implements IVersionProvider {
  static String number() {
    String version = BatonVersionProvider.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public String[] getVersion() {
    return new String[] {"baton " + number()};
  }
}
