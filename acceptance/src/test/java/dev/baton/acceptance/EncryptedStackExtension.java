/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

/** Shares one {@link EncryptedStack} between the test classes with {@link UsesEncryptedStack}. */
final class EncryptedStackExtension extends StackSharingExtension<EncryptedStack> {
  EncryptedStackExtension() {
    super(EncryptedStack.class);
  }

  @Override
  EncryptedStack start() {
    return EncryptedStack.start();
  }
}
