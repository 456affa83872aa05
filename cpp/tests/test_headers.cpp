// A program without tests: its headers are those that all test programs share.
